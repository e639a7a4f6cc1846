/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rng.h - seeded random numbers, one stream per worker and purpose
 *
 * A stream is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * ACM TOMS 47(4), 2021), seeded by SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) from seed ^
 * FNV-1a(key) ^ worker. Offsets, data and probe positions have streams of their own: changing how
 * many numbers one of them takes never moves another. The same seed gives the same numbers on every
 * machine.
 */
#ifndef CORE_RNG_H
#define CORE_RNG_H

#include <stdint.h>

struct fs_rng {
	uint64_t s[4];
};

static inline uint64_t fs_splitmix64(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* FNV-1a, 64 bits: Fowler, Noll, Vo; offset basis and prime from draft-eastlake-fnv. */
static inline uint64_t fs_fnv1a64(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

static inline void fs_rng_seed(struct fs_rng *r, uint64_t seed, const char *key, uint64_t worker)
{
	uint64_t x = seed ^ fs_fnv1a64(key) ^ worker;

	for (int i = 0; i < 4; i++)
		r->s[i] = fs_splitmix64(&x);
}

static inline uint64_t fs_rng_next(struct fs_rng *r)
{
	const uint64_t x = r->s[1] * 5, result = ((x << 7) | (x >> 57)) * 9, t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = (r->s[3] << 45) | (r->s[3] >> 19);
	return result;
}

/*
 * A number in [0, n), n below 2^32: the high half of a 32 x 32-bit product (Lemire, "Fast random
 * integer generation in an interval", ACM TOMACS 29(1), 2019) without its rejection step; the bias
 * is below n / 2^32.
 */
static inline uint64_t fs_rng_below(struct fs_rng *r, uint64_t n)
{
	return ((fs_rng_next(r) >> 32) * n) >> 32;
}

#endif
