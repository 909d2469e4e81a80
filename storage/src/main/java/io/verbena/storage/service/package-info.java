/**
 * The target over the verbs: connections, queue pairs, transfers, and threads for devices.
 */
@NullMarked
package io.verbena.storage.service;

import org.jspecify.annotations.NullMarked;
