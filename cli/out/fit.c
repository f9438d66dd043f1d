/* Columns that fit a terminal: see fit.h. */
#include "cli/out/fit.h"

#include <limits.h>

/* The least width at which a column says something. */
static int least_width(const struct fit_column *column)
{
    static const int least[] = {
        [TEXT_WORDS] = 12, [TEXT_FUNCTION] = 24, [TEXT_STACK] = 30, [TEXT_PLACE] = 16};
    if (!column->cuttable || column->width <= least[column->kind])
        return column->width;
    return column->head_width > least[column->kind] ? column->head_width : least[column->kind];
}

/* The width of the columns that are left, as they are given, with the gaps. */
static int whole_width(const struct fit_column *columns, int count)
{
    int width = -FIT_GAP;
    for (int i = 0; i < count; i++)
        if (columns[i].shown_width > 0)
            width += columns[i].shown_width + FIT_GAP;
    return width;
}

/* Leaves out the last of the columns that count the least; returns whether another one stays. */
static bool leave_out(struct fit_column *columns, int count)
{
    int least = -1, left = 0;
    for (int i = 0; i < count; i++) {
        if (columns[i].shown_width == 0)
            continue;
        left++;
        if (least < 0 || columns[i].priority <= columns[least].priority)
            least = i;
    }
    if (left < 2)
        return false;
    columns[least].shown_width = 0;
    return true;
}

int fit_columns(struct fit_column *columns, int count, int width_max)
{
    int left_out = 0;
    for (int i = 0; i < count; i++) {
        int least = least_width(&columns[i]);
        columns[i].shown_width = least > 0 ? least : 1;
    }
    while (whole_width(columns, count) > width_max && leave_out(columns, count))
        left_out++;
    /* While there is room, each column that is still too narrow gets one more, the narrowest first:
     * so all get the same share. */
    for (int room = width_max - whole_width(columns, count); room > 0; room--) {
        struct fit_column *narrowest = 0;
        for (int i = 0; i < count; i++)
            if (columns[i].shown_width > 0 && columns[i].shown_width < columns[i].width &&
                (narrowest == 0 || columns[i].shown_width < narrowest->shown_width))
                narrowest = &columns[i];
        if (narrowest == 0)
            break;
        narrowest->shown_width++;
    }
    for (int i = 0; i < count; i++)
        if (left_out == count - 1 && columns[i].shown_width > width_max && columns[i].cuttable)
            columns[i].shown_width = width_max;
    return left_out;
}
