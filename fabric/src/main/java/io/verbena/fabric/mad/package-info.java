/**
 * Management datagrams (MADs): their headers and the attributes of subnet and performance management, one flyweight each. The common
 * header is {@link io.verbena.wire.ib.MadHeader}.
 */
@NullMarked
package io.verbena.fabric.mad;

import org.jspecify.annotations.NullMarked;
