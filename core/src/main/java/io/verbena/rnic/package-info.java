/** The software RNIC: the objects behind the verbs and the scheduling of queue pairs, without threads or a clock of its own. */
@NullMarked
package io.verbena.rnic;

import org.jspecify.annotations.NullMarked;
