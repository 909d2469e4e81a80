/**
 * The software RNIC: the objects behind the verbs and the scheduling of queue pairs. It has no threads and no clock.
 */
@NullMarked
package io.verbena.rnic;

import org.jspecify.annotations.NullMarked;
