/* The functions of the program modules: each file is a part of its own. */
#ifndef PARTS_H
#define PARTS_H

int http_serve(int request);
int net_read(int request);
int db_get(int key);
int db_put(int key, int value);
int pack(int value);
int clamp(int value);

#endif
