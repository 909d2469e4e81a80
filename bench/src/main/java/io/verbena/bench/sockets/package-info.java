/** Programs that use channels of {@code java.nio}, over the provider of Verbena and over that of the JDK. */
@NullMarked
package io.verbena.bench.sockets;

import org.jspecify.annotations.NullMarked;
