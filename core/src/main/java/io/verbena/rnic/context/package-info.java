/** What every object of an RNIC uses: the limits, engines, events, locks and numbers. */
@NullMarked
package io.verbena.rnic.context;

import org.jspecify.annotations.NullMarked;
