/** The open device: its context, its limits, its event loop, and what hinders it from being opened. */
@NullMarked
package io.verbena.hardware.provider.device;

import org.jspecify.annotations.NullMarked;
