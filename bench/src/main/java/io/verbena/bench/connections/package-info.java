/** Long runs of connections: at a rate, many at once, and with a peer that is killed. */
@org.jspecify.annotations.NullMarked
package io.verbena.bench.connections;
