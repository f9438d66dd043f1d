-- title:       Cost by argument
-- question:    How does a call's cost grow with an argument?
-- group:       Arguments and results
-- description: Functions whose calls cost more the greater an integer argument is, with the
--              exponent of the power law that fits best: 1 is linear, 2 quadratic. The fit is to
--              the calls made within a call, which are exact, and to its processor time. A row
--              names the parameter that explains the function's cost best. Costs that grow faster
--              than linearly come first.
-- advice:      Quadratic where linear was meant is a loop within a loop, a list that is searched
--              for each item, text that is copied for each piece: look at the callees of
--              slowest_call (fisql trace). Larger inputs will make it worse. The advice is wrong if
--              the work itself grows in this way, or if the argument only grows along with the real
--              cause. A fit of less than 0.9, or one of few values, is a hint.
-- source:      Coppa, Demetrescu, Finocchi: Input-Sensitive Profiling, PLDI 2012; least squares on logarithms, a value
--              weighted by its calls up to 10, a fixed cost taken off where that fits better; of the values from a 16th of the greatest on (a 64th, or all, where
--              these are too few), because small ones show the fixed cost
-- report:      findings
-- needs:       values
-- param:       min_values = 6 | values | leave out parameters with fewer different values, or ranges of them
-- param:       min_range = 8 | - | least ratio of the greatest value to the smallest of these
-- param:       min_fit = 0.8 | - | least goodness of fit (R squared)
-- param:       min_exponent = 0.5 | - | leave out what grows more slowly
-- param:       min_ns = 1000 | ns | least time of the dearest calls where nothing is called within them: less cannot be distinguished from the hooks' cost
-- param:       min_share = 0.1 | % | leave out functions that took less of the run's processor time, with callees
-- param:       parameters = 200 | parameters | judge so many, of the functions that took the most processor time
-- param:       points = 12 | points | give so many
-- column:      function | - | demangled name
-- column:      location | - | where it is defined
-- column:      parameter | - | its name
-- column:      type | - | its type
-- column:      grows | - | linearly, quadratically, exponentially, ...
-- column:      calls_exponent | - | exponent of the calls made within a call, at any depth; empty where it made none, or as many always
-- column:      calls_fit | - | goodness of that fit (R squared): 1 = all points lie on the curve
-- column:      time_exponent | - | exponent of a call's processor time
-- column:      time_fit | - | goodness of that fit
-- column:      calls | calls | finished calls with a known argument
-- column:      distinct_values | values | different ones, or ranges of them, that the curve is fitted to
-- column:      least | - | smallest of them
-- column:      greatest | - | greatest
-- column:      cpu_ns | ns | processor time of the function, with callees
-- column:      share | % | of the run
-- column:      calls_points | - | value:calls made within a call
-- column:      time_points | - | value:ns of a call
-- column:      slowest_call | id | calls.id of the slowest call with the greatest argument
WITH params AS (SELECT coalesce(:min_values, 6) AS min_values, coalesce(:min_range, 8) AS min_range,
                       coalesce(:min_fit, 0.8) AS min_fit, coalesce(:min_exponent, 0.5) AS min_exponent,
                       coalesce(:min_share, 0.1) AS min_share, coalesce(:points, 12) AS points, coalesce(:min_ns, 1000) AS min_ns,
                       coalesce(:parameters, 200) AS parameters),
     whole AS (SELECT sum(self_cpu_ns) AS cpu_ns FROM function_stats),
     asked AS MATERIALIZED (
       SELECT p.id AS parameter_id, p.function_id, p.position, s.cpu_ns, 100.0 * s.cpu_ns / nullif(whole.cpu_ns, 0) AS share,
              (SELECT v.mean_value FROM value_costs v WHERE v.parameter_id = p.id ORDER BY v.low DESC LIMIT 1) AS greatest
       FROM parameters p JOIN function_stats s ON s.function_id = p.function_id CROSS JOIN params CROSS JOIN whole
       WHERE p.position BETWEEN 1 AND 30 AND p.kind IN ('signed', 'unsigned')
         AND 100.0 * s.cpu_ns >= params.min_share * whole.cpu_ns
       ORDER BY s.cpu_ns DESC, p.id LIMIT (SELECT parameters FROM params)),
     ranges AS MATERIALIZED ( -- where the curve begins
       SELECT a.parameter_id,
              CASE WHEN count(*) FILTER (WHERE v.mean_value >= a.greatest / 16) >= params.min_values THEN a.greatest / 16
                   WHEN count(*) FILTER (WHERE v.mean_value >= a.greatest / 64) >= params.min_values THEN a.greatest / 64
                   ELSE 1 END AS least
       FROM asked a CROSS JOIN params JOIN value_costs v ON v.parameter_id = a.parameter_id AND v.low > 0
       WHERE a.greatest >= params.min_range GROUP BY a.parameter_id HAVING count(*) >= params.min_values),
     points AS MATERIALIZED (
       SELECT r.parameter_id, v.mean_value AS value, min(v.calls, 10) AS weight, 1.0 * v.descendants / v.calls AS below,
              max(1.0, 1.0 * v.cpu_ns / v.calls) AS ns, v.calls,
              row_number() OVER (PARTITION BY r.parameter_id ORDER BY v.low) AS number
       FROM ranges r JOIN value_costs v ON v.parameter_id = r.parameter_id AND v.low > 0 AND v.mean_value >= r.least),
     lengths AS MATERIALIZED (
       SELECT parameter_id, count(*) AS n, sum(calls) AS calls, min(value) AS least, max(value) AS greatest, max(ns) AS ns_max,
              min(below) = 0 AS some_none, min(below + 1) AS below_min, min(ns) AS ns_min
       FROM points CROSS JOIN params GROUP BY parameter_id
       HAVING count(*) >= params.min_values AND max(value) >= params.min_range * min(value)),
     fixed(part) AS (VALUES (0.0), (0.25), (0.5), (0.75), (0.9)), -- of the least cost, what does not depend on the argument
     measured AS MATERIALIZED ( -- of calls and of time, in one list
       SELECT q.parameter_id, 'calls' AS what, fixed.part, q.weight AS w, q.value, ln(q.value) AS x,
              ln(q.below + l.some_none - fixed.part * (l.below_min - 1 + l.some_none)) AS y
       FROM lengths l CROSS JOIN fixed JOIN points q ON q.parameter_id = l.parameter_id
       UNION ALL
       SELECT q.parameter_id, 'time', fixed.part, q.weight, q.value, ln(q.value), ln(q.ns - fixed.part * l.ns_min)
       FROM lengths l CROSS JOIN fixed JOIN points q ON q.parameter_id = l.parameter_id),
     sums AS MATERIALIZED (
       SELECT parameter_id, what, part, max(y) - min(y) AS spread, sum(w) AS w, sum(w * x) AS x, sum(w * x * x) AS xx,
              sum(w * y) AS y,
              sum(w * x * y) AS xy, sum(w * y * y) AS yy, sum(w * value) AS v, sum(w * value * value) AS vv,
              sum(w * value * y) AS vy
       FROM measured GROUP BY parameter_id, what, part),
     tried AS MATERIALIZED (
       SELECT parameter_id, what, part, (w * xy - x * y) / (w * xx - x * x) AS exponent,
              (w * xy - x * y) * (w * xy - x * y) / ((w * xx - x * x) * (w * yy - y * y)) AS fit,
              (w * vy - v * y) * (w * vy - v * y) / ((w * vv - v * v) * (w * yy - y * y)) AS fit_exponential
       FROM sums WHERE w * xx - x * x > 0 AND w * yy - y * y > 0 AND (what = 'time' OR spread > 0.1)),
     beside AS MATERIALIZED ( -- the fit without a fixed cost
       SELECT *, max(CASE part WHEN 0 THEN fit END) OVER alike AS fit_plain,
              max(CASE part WHEN 0 THEN fit_exponential END) OVER alike AS fit_exponential_plain
       FROM tried WINDOW alike AS (PARTITION BY parameter_id, what)),
     preferred AS MATERIALIZED ( -- a fixed cost is only taken where it explains half of what is unexplained
       SELECT parameter_id, what, exponent, fit, fit_exponential_plain AS fit_exponential,
              row_number() OVER (PARTITION BY parameter_id, what
                                 ORDER BY part = 0 OR 1 - fit < 0.5 * (1 - fit_plain) DESC, round(fit, 6) DESC, part) AS place
       FROM beside WHERE fit_plain IS NOT NULL),
     fits AS MATERIALIZED (
       SELECT l.*, c.exponent AS calls_exponent, c.fit AS calls_fit, c.fit_exponential AS calls_fit_exponential,
              t.exponent AS time_exponent, t.fit AS time_fit, t.fit_exponential AS time_fit_exponential
       FROM lengths l
            LEFT JOIN preferred c ON c.parameter_id = l.parameter_id AND c.what = 'calls' AND c.place = 1
            LEFT JOIN preferred t ON t.parameter_id = l.parameter_id AND t.what = 'time' AND t.place = 1),
     judged AS MATERIALIZED ( -- by calls, if these grow in a way that fits; else by time
       SELECT f.*, a.function_id, a.position, a.cpu_ns, a.share,
              CASE WHEN calls_fit >= params.min_fit THEN calls_exponent ELSE time_exponent END AS exponent,
              CASE WHEN calls_fit >= params.min_fit THEN calls_fit ELSE time_fit END AS fit,
              CASE WHEN calls_fit >= params.min_fit THEN calls_fit_exponential ELSE time_fit_exponential END AS fit_exponential
       FROM fits f JOIN asked a ON a.parameter_id = f.parameter_id CROSS JOIN params),
     chosen AS MATERIALIZED (
       SELECT j.*,
              CASE WHEN exponent > 1.25 AND fit_exponential >= 0.98 AND fit_exponential > fit THEN 'exponentially'
                   WHEN exponent < 0.75 THEN 'less than linearly' WHEN exponent <= 1.25 THEN 'linearly'
                   WHEN exponent < 1.6 THEN 'more than linearly' WHEN exponent <= 2.4 THEN 'quadratically'
                   WHEN exponent <= 3.4 THEN 'cubically' ELSE 'more than cubically' END AS grows,
              row_number() OVER (PARTITION BY function_id ORDER BY max(fit, coalesce(fit_exponential, 0)) DESC, position) AS place
       FROM judged j CROSS JOIN params WHERE max(fit, coalesce(fit_exponential, 0)) >= params.min_fit
            AND exponent >= params.min_exponent
         AND (calls_fit >= params.min_fit OR ns_max >= params.min_ns))
SELECT f.name AS function,
       f.location,
       coalesce(p.name, '(' || p.position || ')') AS parameter,
       p.type,
       c.grows,
       round(c.calls_exponent, 2) AS calls_exponent,
       round(c.calls_fit, 3) AS calls_fit,
       round(c.time_exponent, 2) AS time_exponent,
       round(c.time_fit, 3) AS time_fit,
       c.calls,
       c.n AS distinct_values,
       CAST(round(c.least) AS INTEGER) AS least,
       CAST(round(c.greatest) AS INTEGER) AS greatest,
       c.cpu_ns,
       round(c.share, 1) AS share,
       (SELECT group_concat(point, ', ')
        FROM (SELECT CAST(round(q.value) AS INTEGER) || ':' || CAST(round(q.below) AS INTEGER) AS point FROM points q
              WHERE q.parameter_id = c.parameter_id AND (c.n - q.number) % ((c.n + params.points - 1) / params.points) = 0
              ORDER BY q.number)) AS calls_points,
       (SELECT group_concat(point, ', ')
        FROM (SELECT CAST(round(q.value) AS INTEGER) || ':' || CAST(round(q.ns) AS INTEGER) AS point FROM points q
              WHERE q.parameter_id = c.parameter_id AND (c.n - q.number) % ((c.n + params.points - 1) / params.points) = 0
              ORDER BY q.number)) AS time_points,
       (SELECT v.slowest_call_id FROM value_costs v WHERE v.parameter_id = c.parameter_id
        ORDER BY v.low DESC LIMIT 1) AS slowest_call
FROM chosen c
     CROSS JOIN params
     JOIN parameters p ON p.id = c.parameter_id
     JOIN function_details f ON f.id = c.function_id
WHERE c.place = 1
ORDER BY c.exponent > 1.25 DESC, c.cpu_ns DESC, c.function_id
