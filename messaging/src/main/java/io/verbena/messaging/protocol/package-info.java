/** The protocol of channels and ranks as pure state machines: no thread, no clock, no verbs. */
@NullMarked
package io.verbena.messaging.protocol;

import org.jspecify.annotations.NullMarked;
