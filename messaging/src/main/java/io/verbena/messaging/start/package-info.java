/** The start of a job: ranks meet, show that they know its secret, and learn of each other. */
@NullMarked
package io.verbena.messaging.start;

import org.jspecify.annotations.NullMarked;
