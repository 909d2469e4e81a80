/** Side-by-side runs: Verbena and its peers in interleaved pairs, a table and a picture of the ratios. */
@NullMarked
package io.verbena.bench.side;

import org.jspecify.annotations.NullMarked;
