/**
 * Netty's published tests of its socket transports, over this one. Each class runs the tests of its base class; only the channels and event
 * loops are ours. {@code -Dverbena.netty.provider=iwarp} or {@code roce} runs them over another provider than shared memory.
 */
@NullMarked
package io.verbena.netty.suite;

import org.jspecify.annotations.NullMarked;
