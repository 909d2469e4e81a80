/** The cost of each way in which an INLINE program waits for completions, with one processor or two, polling or not. */
@org.jspecify.annotations.NullMarked
package io.verbena.bench.waits;
