/* Vector arguments and results, and other calling conventions, compiled without fisql. With -mavx: __m256; with
 * -mavx512f: __m512 (callgrind knows no AVX-512: then the program's own counts are the oracle). clang: regcall,
 * preserve_most, preserve_all, vectorcall; both: ms_abi. */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

static uint64_t sum = 99;
static void mix(double value)
{
    sum = sum * 6364136223846793005u + (uint64_t)(int64_t)(value * 64);
}

#ifdef __AVX__
APART __m256d add4(__m256d a, __m256d b)
{
    __asm__ volatile("");
    return _mm256_add_pd(a, b);
}
APART __m256 eight_wide(__m256 a, __m256 b, __m256 c, __m256 d, __m256 e, __m256 f, __m256 g,
                        __m256 h)
{
    __m256 all = _mm256_add_ps(a, _mm256_mul_ps(b, c));
    all = _mm256_sub_ps(all, _mm256_mul_ps(d, e));
    all = _mm256_add_ps(all, _mm256_mul_ps(f, g));
    return _mm256_sub_ps(all, h);
}
APART __m256i swap4(__m256i a)
{
    return _mm256_permute2f128_si256(a, a, 1);
}
static void wide(int i)
{
    double d[4];
    float f[8];
    long n[4];
    __m256d a = _mm256_set_pd(i, 2, 3, 4), b = _mm256_set_pd(0.5, i, 1.5, 2.5);
    _mm256_storeu_pd(d, add4(a, add4(a, b)));
    for (int k = 0; k < 4; k++)
        mix(d[k]);
    __m256 x = _mm256_set_ps((float)i, 1, 2, 3, 4, 5, 6, 7), y = _mm256_set1_ps((float)i + 0.5f);
    _mm256_storeu_ps(f, eight_wide(x, y, x, y, y, x, y, x));
    for (int k = 0; k < 8; k++)
        mix((double)f[k]);
    _mm256_storeu_si256((__m256i *)n, swap4(_mm256_set_epi64x(i, 2, 3, 4)));
    for (int k = 0; k < 4; k++)
        mix((double)n[k] * k);
}
#endif

#ifdef __AVX512F__
APART __m512d add8(__m512d a, __m512d b)
{
    __asm__ volatile("");
    return _mm512_add_pd(a, b);
}
APART __m512 many(__m512 a, __m512 b, __m512 c, __m512 d, __m512 e, __m512 f, __m512 g, __m512 h)
{
    return _mm512_add_ps(_mm512_fmadd_ps(a, b, c), _mm512_fmadd_ps(d, e, _mm512_fmadd_ps(f, g, h)));
}
APART __mmask16 smaller(__m512i a, __m512i b)
{
    return _mm512_cmplt_epi32_mask(a, b);
}
APART __m512i masked(__mmask16 mask, __m512i a, __m512i b)
{
    return _mm512_mask_add_epi32(a, mask, a, b);
}
static __attribute__((noinline)) double
local_wide(double a) /* -fipa-ra: zmm16..31 and k1..7 may live across it */
{
    return a * 3;
}
static void very_wide(int i)
{
    double d[8];
    float f[16];
    int n[16];
    __m512d a = _mm512_set1_pd(i + 0.25), b = _mm512_set_pd(1, 2, 3, 4, 5, 6, 7, 8);
    double c = local_wide(i);
    _mm512_storeu_pd(d, add8(a, add8(a, b)));
    for (int k = 0; k < 8; k++)
        mix(d[k] + c);
    __m512 x = _mm512_set1_ps((float)i), y = _mm512_set1_ps(2.5f);
    _mm512_storeu_ps(f, many(x, y, x, y, y, x, y, x));
    for (int k = 0; k < 16; k++)
        mix((double)f[k]);
    __m512i p = _mm512_set_epi32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16),
            q = _mm512_set1_epi32(i);
    __mmask16 mask = smaller(p, q);
    mix(mask);
    _mm512_storeu_si512(n, masked(mask, p, q));
    for (int k = 0; k < 16; k++)
        mix(n[k]);
}
#endif

__attribute__((ms_abi)) APART double windows(int a, double b, long c, double d, int e, double f)
{
    return a + 2 * b + 3 * (double)c + 4 * d + 5 * e + 6 * f;
}
__attribute__((ms_abi, noinline)) static double
windows_calls(int a, double b) /* xmm6.. are the callee's to keep */
{
    double x = b * 3, y = b * 5, z = b * 7;
    for (int i = 0; i < 3; i++)
        x += windows(a, x, i, y, 4, z), y += x * z;
    return x + y + z;
}

#ifdef __clang__
__attribute__((regcall)) APART long by_registers(long a, long b, long c, long d, long e, long f,
                                                 long g, long h, long i, long j, long k)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k;
}
__attribute__((regcall)) APART double doubles_by_registers(double a, double b, double c, double d,
                                                           double e, double f, double g, double h,
                                                           double i, double j, double k, double l,
                                                           double m, double n, double o, double p)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
           12 * l + 13 * m + 14 * n + 15 * o + 16 * p;
}
struct four {
    long a, b, c, d;
};
__attribute__((regcall)) APART struct four
four_by_registers(struct four it) /* results in rax, rcx, rdx, rdi */
{
    return (struct four){it.d, it.c, it.b, it.a};
}
static volatile int touched;
__attribute__((preserve_most)) APART void preserves_most(int n)
{
    touched += n;
}
__attribute__((preserve_all)) APART void preserves_all(int n)
{
    touched += n;
}
__attribute__((vectorcall)) APART double by_vectors(double a, double b, double c, double d,
                                                    double e, double f)
{
    return a - b * c + d * e - f;
}
APART long lives_across(long a, long b, long c, long d, double x, double y, double z)
{
    long e = a * b, f = b * c, g = c * d;
    double s = x * y, t = y * z, u = z * x;
    for (int i = 0; i < 4; i++) {
        preserves_most((int)e);
        e += f ^ a;
        preserves_all((int)g);
        s += t * u;
        f -= g + b + c;
        t -= s + x;
    }
    return e + 3 * f + 5 * g + d + (long)(s + 3 * t + 5 * u + y + z);
}
#endif

int main(void)
{
    for (int i = 0; i < 9; i++) {
#ifdef __AVX__
        wide(i);
#endif
#ifdef __AVX512F__
        very_wide(i);
#endif
        mix(windows_calls(i, 1.5));
#ifdef __clang__
        mix((double)by_registers(i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
        mix(doubles_by_registers(i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
        struct four four = four_by_registers((struct four){i, 2, 3, 4});
        mix((double)(four.a + 10 * four.b + 100 * four.c + 1000 * four.d));
        mix(by_vectors(i, 2, 3, 4, 5, 6));
        mix((double)lives_across(i, 2, 3, 4, 0.5, 1.5, 2.5));
#endif
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
