/**
 * The software RNIC: the objects behind the verbs and the scheduling of queue pairs. This package starts no thread and reads no clock.
 */
@NullMarked
package io.verbena.rnic;

import org.jspecify.annotations.NullMarked;
