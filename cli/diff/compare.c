/* Comparing two runs: see compare.h. */
#include "cli/diff/compare.h"
#include "cli/run/database.h"
#include "cli/run/distrust.h"
#include "cli/out/say.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* compare.sql */
extern const char compare_sql_side[], compare_sql_renamed[], compare_sql_ranks[],
    compare_sql_noise[], compare_sql_pairs[];

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

/* What functions are matched by. */
static const char *key_sql(enum name_style style)
{
    return name_style_sql(style == NAMES_LINKAGE ? NAMES_LINKAGE : NAMES_FULL);
}

static int run_text(sqlite3 *database, char *sql)
{
    int result = sql == NULL ? SQLITE_NOMEM : sqlite3_exec(database, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return result;
}

static int make_side(sqlite3 *database, const char *table, const char *schema,
                     enum name_style style)
{
    return run_text(database,
                    sqlite3_mprintf(compare_sql_side, table, key_sql(style), name_style_sql(style),
                                    schema, schema, schema, schema, schema));
}

static int make_functions(sqlite3 *database)
{
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *context, int count, sqlite3_value **values);
    } functions[] = {{"welch_p", 6, welch_p}, {"rank_z", 4, rank_z}, {"rank_p", 4, rank_p}};
    int result = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && result == SQLITE_OK; i++)
        result = sqlite3_create_function(database, functions[i].name, functions[i].arguments,
                                         SQLITE_UTF8, NULL, functions[i].call, NULL, NULL);
    return result;
}

int compare_attach(sqlite3 *database, const char *a_path, const char *b_path, enum name_style style)
{
    sqlite3 *other = database_open(b_path); /* says what is wrong with it */
    if (other == NULL)
        return 2;
    database_say_state(other, b_path);
    sqlite3_close(other);
    database_say_state(database, a_path);
    int result = distrust_attach(database, b_path, "other");
    if (result == SQLITE_OK)
        result = make_functions(database);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = make_side(database, "a", "main", style);
    if (result == SQLITE_OK)
        result = make_side(database, "b", "other", style);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, compare_sql_renamed, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result =
            run_text(database, sqlite3_mprintf(compare_sql_ranks, key_sql(style), key_sql(style)));
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, compare_sql_noise, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_exec(database, compare_sql_pairs, NULL, NULL, NULL);
    if (result == SQLITE_OK)
        return 0;
    return database_is_unreadable(database)
               ? database_fail(database, NULL)
               : fail("%s and %s cannot be compared: %s", a_path, b_path, sqlite3_errmsg(database));
}

sqlite3 *compare_open(const char *a_path, const char *b_path, enum name_style style)
{
    sqlite3 *database = database_open(a_path);
    if (database == NULL || compare_attach(database, a_path, b_path, style) == 0)
        return database;
    sqlite3_close(database);
    return NULL;
}
