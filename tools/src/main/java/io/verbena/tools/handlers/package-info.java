/**
 * Two consumers on one RNIC: one receives urgent messages, the other is a disk that computes checksums and writes blocks.
 * The comparison runs with one CQ handler for both and with one handler for each.
 */
@NullMarked
package io.verbena.tools.handlers;

import org.jspecify.annotations.NullMarked;
