/* The part net: one of its functions is of another module by its name. */
#include "../parts.h"

int net_read(int request)
{
    return request * 3;
}

int http_serve(int request)
{
    int key = net_read(request);
    db_put(key, db_get(key) + 1);
    return clamp(db_get(key));
}
