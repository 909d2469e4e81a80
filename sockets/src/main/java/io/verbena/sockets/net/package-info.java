/**
 * {@code java.net.Socket} and {@code ServerSocket} over the channels of Verbena: implementations of sockets that the agent has the JDK use in
 * place of its own.
 */
@NullMarked
package io.verbena.sockets.net;

import org.jspecify.annotations.NullMarked;
