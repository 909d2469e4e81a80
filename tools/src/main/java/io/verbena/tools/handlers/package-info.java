/**
 * Two consumers on one RNIC: messages that want to be handled soon, and a disk behind it that checksums and writes blocks.
 * With one CQ handler for both, and with one each.
 */
@NullMarked
package io.verbena.tools.handlers;

import org.jspecify.annotations.NullMarked;
