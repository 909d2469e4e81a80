/** The command bench/tcp: the TCP of the library beside the TCP of the system. */
@org.jspecify.annotations.NullMarked
package io.verbena.bench.tcp;
