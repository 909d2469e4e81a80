/** What the engines of all services share: pending work, events, paths, and how a failure ends a queue pair. */
@NullMarked
package io.verbena.ib.endpoint;

import org.jspecify.annotations.NullMarked;
