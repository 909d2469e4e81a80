/** One program, every provider, one outcome: a table of calls and faults, and its comparison between the providers. */
@NullMarked
package io.verbena.outcome;

import org.jspecify.annotations.NullMarked;
