/** What notification costs, from inside. */
@NullMarked
package io.verbena.rnic;

import org.jspecify.annotations.NullMarked;
