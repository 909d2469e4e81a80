/**
 * The live view: the figures of RNICs ({@link io.verbena.verbs.Figures}) in a browser, as JSON, and as text for Prometheus.
 *
 * <pre>
 *   RNICs, other processes --Supplier--&gt; SampleCache --&gt; /api/figures, /metrics
 *                                                     --&gt; Viewers: /api/events (Server-Sent Events)
 *                                        page         --&gt; /, /app.js, /network.js, /pair.js, /handlers.js, /parts.js, /app.css
 *   a network ----NetworkSource--&gt; SampleCache --&gt; /api/network/events, /state
 *                              &lt;-- NetworkAction -- POST /api/network/actions
 * </pre>
 *
 * <p>A sample is taken only when a request needs one, at most once per interval, and all viewers share it. There is no queue: a
 * viewer that is slow skips samples. Each request has a virtual thread and a time limit ({@code RequestThreads}), so that a
 * client that stops reading or sending is dropped and delays nothing else.
 *
 * <p>The server answers only requests that contain its token and whose Host header is an address or {@code localhost}, which a page
 * of another site cannot achieve by renaming its host (DNS rebinding). It allows no reads from other origins, and
 * the page creates no markup from text of peers. A server changes nothing unless it was given a {@link io.verbena.web.NetworkSource}, whose
 * actions need POST, the token, and no foreign Origin header.
 *
 * @since 0.1.0
 */
@NullMarked
package io.verbena.web;

import org.jspecify.annotations.NullMarked;
