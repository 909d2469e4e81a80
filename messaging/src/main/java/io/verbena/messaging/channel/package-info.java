/** Channels with multiple-phase buffer enlargement, and the endpoints that drive them. */
@NullMarked
package io.verbena.messaging.channel;

import org.jspecify.annotations.NullMarked;
