/** Choices of the user about buffers: phases, thresholds, and the actions taken at them. Values only. */
@NullMarked
package io.verbena.messaging.policy;

import org.jspecify.annotations.NullMarked;
