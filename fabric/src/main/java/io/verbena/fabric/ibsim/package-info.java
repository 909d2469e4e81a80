/**
 * The protocol between ibsim, a simulator of fabrics, and its clients: programs of Linux that use umad, with libumad2sim in front of them.
 * With it, an unmodified OpenSM manages a fabric of Verbena. No I/O: datagrams are passed in and out.
 */
@NullMarked
package io.verbena.fabric.ibsim;

import org.jspecify.annotations.NullMarked;
