/** Channels with multiple-phase buffer enlargement, and ranks that exchange messages, over the verbs. */
@NullMarked
package io.verbena.messaging;

import org.jspecify.annotations.NullMarked;
