/** The settings of queue pairs of each service. */
@NullMarked
package io.verbena.ib.settings;

import org.jspecify.annotations.NullMarked;
