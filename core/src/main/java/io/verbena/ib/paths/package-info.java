/** Several paths of one reliable connection: their states, the packets in flight on each, and the decision that one is lost. */
@NullMarked
package io.verbena.ib.paths;

import org.jspecify.annotations.NullMarked;
