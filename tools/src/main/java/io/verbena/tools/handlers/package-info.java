/**
 * Two consumers on one RNIC: one receives urgent messages, the other is a disk that computes checksums and writes blocks.
 * With one CQ handler for both, and with one each.
 */
@NullMarked
package io.verbena.tools.handlers;

import org.jspecify.annotations.NullMarked;
