/** What users choose about buffers: phases, thresholds, and what happens at them. Values only. */
@NullMarked
package io.verbena.messaging.policy;

import org.jspecify.annotations.NullMarked;
