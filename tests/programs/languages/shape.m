#import <objc/objc.h>
#import <objc/runtime.h>
#import <objc/Object.h>
#include <stdio.h>
@interface Shape : Object { int n; }
+ (Shape *)make;
- (int)area:(int)w by:(int)h;
@end
@implementation Shape
+ (Shape *)make { return class_createInstance(self, 0); }
- (int)area:(int)w by:(int)h { return w * h; }
@end
static int plain(int a) { return a + 1; }
int main(void) { Shape *s = [Shape make]; int t = 0; for (int i = 0; i < 5; i++) t += [s area:i by:2] + plain(i); printf("%d\n", t); return 0; }
