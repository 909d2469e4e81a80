/** What the engines of all services share: pending work, events, paths, and the end by a failure. */
@NullMarked
package io.verbena.ib.endpoint;

import org.jspecify.annotations.NullMarked;
