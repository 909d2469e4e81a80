/**
 * What a selector consists of: keys, the selector of the JDK inside, the ways in which it waits, and the locks of
 * channels and keys in their order. Of a channel it knows only {@link io.verbena.sockets.nio.select.Keyed}.
 */
@NullMarked
package io.verbena.sockets.nio.select;

import org.jspecify.annotations.NullMarked;
