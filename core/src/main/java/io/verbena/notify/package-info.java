/**
 * Notification of completions, for a CQ of any provider: what a consumer requested and when it is notified
 * ({@link io.verbena.notify.CqNotifier}), CQ handlers and their event rings ({@link io.verbena.notify.RegisteredHandler}), the order
 * in which a processor serves them ({@link io.verbena.notify.HandlerArbiter}), moderation ({@link io.verbena.notify.Moderator}). A
 * provider gives it a {@link io.verbena.notify.CompletionSource} for each CQ and one {@link io.verbena.notify.NotificationHost}.
 */
@NullMarked
package io.verbena.notify;

import org.jspecify.annotations.NullMarked;
