/** {@code verbena perf}: latency and bandwidth of each operation, measured from one process to another. */
@NullMarked
package io.verbena.tools.perf;

import org.jspecify.annotations.NullMarked;
