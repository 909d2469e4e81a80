/**
 * The provider {@code ibverbs}: the objects of the verbs over an adapter with a driver in the kernel.
 *
 * <p>An adapter does in hardware what the software RNIC does in its engines. What the two promise to a program is the same, and where the
 * C interface promises less, this package adds it:
 *
 * <ul>
 *   <li><b>Work is identified by slots of this package</b> ({@link io.verbena.hardware.provider.request.SlotTable}), because an adapter does not report the
 *       operation of work that failed, takes more requests than it granted, and never frees a slot of work that is not signalled.
 *   <li><b>Events</b> arrive at descriptors that one thread waits for ({@link io.verbena.hardware.provider.device.EventLoop}): completion
 *       channels, asynchronous events, the connection manager. A CQ handler is looked up when its event arrives.
 *   <li><b>Connections</b> are set up by librdmacm without giving it the queue pair, so that a failed attempt leaves the queue pair
 *       unchanged.
 * </ul>
 *
 * <p><b>Lifetimes.</b> Each object owns one native object and destroys it once; what it depends on cannot be closed before
 * it. Memory is deregistered before it is freed. Events are acknowledged as soon as they are copied, so that no destruction waits.
 *
 * @since 0.1.0
 */
@NullMarked
package io.verbena.hardware.provider;

import org.jspecify.annotations.NullMarked;
