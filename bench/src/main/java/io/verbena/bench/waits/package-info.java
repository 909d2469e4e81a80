/** What each way to wait for completions costs an INLINE program, with one processor or two, polling or not. */
@org.jspecify.annotations.NullMarked
package io.verbena.bench.waits;
