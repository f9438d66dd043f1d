/* Comparing two runs: see compare.h. */
#include "cli/diff/compare.h"
#include "cli/run/database.h"
#include "cli/run/distrust.h"
#include "cli/out/say.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Student's t ---- */

/* The continued fraction of the incomplete beta function, by Lentz (Abramowitz & Stegun 26.5.8). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m <= 1000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        double step = d * c;
        h *= step;
        if (fabs(step - 1) < 1e-12)
            break;
    }
    return h;
}

/* The regularized incomplete beta function. */
static double beta_regularized(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                     : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double compare_welch_p(double n1, double mean1, double m2_1, double n2, double mean2, double m2_2)
{
    if (n1 < 2 || n2 < 2)
        return -1;
    double error1 = m2_1 / (n1 - 1) / n1, error2 = m2_2 / (n2 - 1) / n2;
    double error = error1 + error2;
    if (!(error > 0))
        return mean1 == mean2 ? 1 : 0;
    double t = (mean2 - mean1) / sqrt(error);
    double freedom = error * error / (error1 * error1 / (n1 - 1) + error2 * error2 / (n2 - 1));
    if (freedom > 1e6)
        return erfc(fabs(t) / sqrt(2));
    return beta_regularized(freedom / (freedom + t * t), freedom / 2, 0.5);
}

static void welch_p(sqlite3_context *context, int count, sqlite3_value **values)
{
    double numbers[6] = {0};
    for (int i = 0; i < count && i < 6; i++) {
        if (sqlite3_value_type(values[i]) == SQLITE_NULL)
            return;
        numbers[i] = sqlite3_value_double(values[i]);
    }
    double p =
        compare_welch_p(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]);
    if (p >= 0)
        sqlite3_result_double(context, p);
}

/* The rank sum's distance from what chance would give, in standard deviations. */
static double rank_distance(sqlite3_value **values)
{
    double n1 = sqlite3_value_double(values[0]), n2 = sqlite3_value_double(values[1]);
    double ranks = sqlite3_value_double(values[2]), ties = sqlite3_value_double(values[3]);
    double all = n1 + n2;
    double variance = n1 * n2 / 12 * (all + 1 - ties / (all * (all - 1)));
    return variance > 0 ? (ranks - n2 * (n2 + 1) / 2 - n1 * n2 / 2) / sqrt(variance) : 0;
}

static void rank_z(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_double(context, rank_distance(values));
}

static void rank_p(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    sqlite3_result_double(context, erfc(fabs(rank_distance(values)) / sqrt(2)));
}

/* ---- matching ---- */

/* One side's functions. A function is matched by its name in full (or the linker's, where that is
 * asked for): short ones depend on what else there is. `shown` is its name in the style. Sums of
 * squares of several functions of one name and file are put together around their common mean. */
static const char side_sql[] =
    "CREATE TEMP TABLE %s AS WITH every AS ("
    "  SELECT %s AS name, %s AS shown, coalesce(files.name, m.name, '') AS file,"
    "         coalesce(files.name || ':' || f.line, m.name, '?') AS location, s.*"
    "  FROM %s.function_stats s JOIN %s.functions f ON f.id = s.function_id"
    "       LEFT JOIN %s.files ON files.id = f.file_id LEFT JOIN %s.modules m ON m.id = f.module_id"
    "  WHERE s.calls > 0)"
    " SELECT name, file, min(location) AS location, min(shown) AS shown, sum(calls) AS calls,"
    "        sum(total_ns) AS total_ns,"
    "        sum(self_ns) AS self_ns, sum(cpu_ns) AS cpu_ns, sum(self_cpu_ns) AS self_cpu_ns,"
    "        sum(wait_ns) AS wait_ns, sum(self_wait_ns) AS self_wait_ns, sum(finished) AS finished,"
    "        sum(finished * mean_ns) / nullif(sum(finished), 0) AS mean_ns,"
    "        CASE count(*) WHEN 1 THEN sum(m2) ELSE sum(m2) + sum(finished * mean_ns * mean_ns) -"
    "          sum(finished * mean_ns) * sum(finished * mean_ns) / nullif(sum(finished), 0) END AS "
    "m2,"
    "        max(max_ns) AS max_ns, file AS own_file, sum(raw_total_ns - total_ns) * 1.0 / "
    "sum(calls) AS hooks_ns, "
    "sum(allocs) AS allocs, sum(alloc_bytes) AS alloc_bytes"
    " FROM every GROUP BY name, file";

/* Histograms of durations of both, and the rank-sum test on them (Mann & Whitney 1947; with the
 * correction for ties, which a bucket's calls are): z > 0 where B's calls take longer. */
static const char ranks_sql[] =
    "CREATE TEMP TABLE ranks AS WITH named AS MATERIALIZED ("
    "  SELECT f.id, f.file_id, f.module_id, %s AS name FROM other.functions f),"
    " every AS ("
    "  SELECT %s AS name, coalesce(files.name, m.name, '') AS file, d.log2, d.count AS ca, 0 AS cb"
    "  FROM main.durations d JOIN main.functions f ON f.id = d.function_id"
    "       LEFT JOIN main.files ON files.id = f.file_id"
    "       LEFT JOIN main.modules m ON m.id = f.module_id"
    "  UNION ALL"
    "  SELECT b.name, b.file, d.log2, 0, d.count FROM temp.b JOIN named f ON f.name = b.name"
    "       LEFT JOIN other.files ON files.id = f.file_id"
    "       LEFT JOIN other.modules m ON m.id = f.module_id"
    "       JOIN other.durations d ON d.function_id = f.id"
    "  WHERE coalesce(files.name, m.name, '') = b.own_file),"
    " buckets AS (SELECT name, file, log2, 1.0 * sum(ca) AS ca, 1.0 * sum(cb) AS cb FROM every"
    "             GROUP BY 1, 2, 3),"
    " ranked AS (SELECT *, sum(ca + cb) OVER (PARTITION BY name, file ORDER BY log2) - ca - cb AS "
    "below"
    "            FROM buckets),"
    " sums AS (SELECT name, file, sum(ca) AS n1, sum(cb) AS n2,"
    "            sum(cb * (below + (ca + cb + 1) / 2)) AS ranks,"
    "            sum((ca + cb) * (ca + cb) * (ca + cb) - ca - cb) AS ties"
    "          FROM ranked GROUP BY 1, 2 HAVING sum(ca) > 1 AND sum(cb) > 1)"
    " SELECT name, file, rank_z(n1, n2, ranks, ties) AS z, rank_p(n1, n2, ranks, ties) AS p FROM "
    "sums";

static const char renamed_sql[] =
    "UPDATE temp.b SET file = (SELECT a.file FROM temp.a WHERE a.name = b.name)"
    " WHERE NOT EXISTS (SELECT 1 FROM temp.a WHERE a.name = b.name AND a.file = b.file)"
    "   AND (SELECT count(*) FROM temp.a WHERE a.name = b.name) = 1"
    "   AND (SELECT count(*) FROM temp.b AS other WHERE other.name = b.name) = 1";

/* What functions are matched by. */
static const char *key_sql(enum name_style style)
{
    return name_style_sql(style == NAMES_LINKAGE ? NAMES_LINKAGE : NAMES_FULL);
}

static int make_ranks(sqlite3 *database, enum name_style style)
{
    char sql[4096];
    const char *name = key_sql(style);
    snprintf(sql, sizeof sql, ranks_sql, name, name);
    return sqlite3_exec(database, sql, NULL, NULL, NULL);
}

static int make_side(sqlite3 *database, const char *table, const char *schema,
                     enum name_style style)
{
    char sql[2048];
    snprintf(sql, sizeof sql, side_sql, table, key_sql(style), name_style_sql(style), schema,
             schema, schema, schema);
    return sqlite3_exec(database, sql, NULL, NULL, NULL);
}

sqlite3 *compare_open(const char *a_path, const char *b_path, enum name_style style)
{
    sqlite3 *other = database_open(b_path); /* says what is wrong with it */
    if (other == NULL)
        return NULL;
    database_say_state(other, b_path);
    sqlite3_close(other);
    sqlite3 *database = database_open(a_path);
    if (database == NULL)
        return NULL;
    database_say_state(database, a_path);
    int result = distrust_attach(database, b_path, "other");
    if (result == SQLITE_OK)
        result =
            sqlite3_create_function(database, "welch_p", 6, SQLITE_UTF8, NULL, welch_p, NULL, NULL);
    if (result == SQLITE_OK)
        result =
            sqlite3_create_function(database, "rank_z", 4, SQLITE_UTF8, NULL, rank_z, NULL, NULL);
    if (result == SQLITE_OK)
        result =
            sqlite3_create_function(database, "rank_p", 4, SQLITE_UTF8, NULL, rank_p, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = make_side(database, "a", "main", style);
    if (result == SQLITE_OK)
        result = make_side(database, "b", "other", style);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database,
                              "CREATE INDEX temp.a_name ON a(name); CREATE INDEX temp.b_name ON"
                              " b(name)",
                              NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, renamed_sql, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = make_ranks(database, style);
    if (result == SQLITE_OK)
        return database;
    fail("%s and %s cannot be compared: %s", a_path, b_path, sqlite3_errmsg(database));
    sqlite3_close(database);
    return NULL;
}
