/**
 * {@link io.verbena.micrometer.RnicMetrics}: the figures of an RNIC ({@link io.verbena.verbs.Figures}) as meters.
 *
 * <p>Queue pairs, CQs and listeners come and go, and Micrometer has no call before a registry is read. So the first meter that is read after an
 * interval takes a new sample of the whole RNIC; meters of objects that the sample does not contain any more are removed then, and those of
 * new objects are added. A registry therefore shows a new object with the reading after the one that found it. All other meters return what the sample
 * contains. No thread is started, and nothing happens while the registry is not read.
 *
 * @since 0.1.0
 */
@NullMarked
package io.verbena.micrometer;

import org.jspecify.annotations.NullMarked;
