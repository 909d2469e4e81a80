/** Long runs of connections: at a given rate, many at the same time, and with a peer that is killed. */
@org.jspecify.annotations.NullMarked
package io.verbena.bench.connections;
