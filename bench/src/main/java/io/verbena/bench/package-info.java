/** JMH benchmarks and side-by-side runs against plain NIO. */
@NullMarked
package io.verbena.bench;

import org.jspecify.annotations.NullMarked;
