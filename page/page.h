/* The report page before and after the data, made by page/build.mjs and compiled in. Strings end
 * with a NUL; empty where the build had no npm. */
#ifndef FISQL_PAGE_PAGE_H
#define FISQL_PAGE_PAGE_H

extern const char report_page_head[];
extern const char report_page_tail[];

/* What `fisql serve` sends: the page, its script and its style sheet. */
extern const char serve_page_html[], serve_page_script[], serve_page_style[];

#endif
