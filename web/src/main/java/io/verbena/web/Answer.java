package io.verbena.web;

import java.nio.charset.StandardCharsets;

/** What is sent: a status, the type of the content, and the content. */
record Answer(int status, String type, byte[] bytes) {

    static final String JSON = "application/json";

    static Answer json(String text) {
        return new Answer(200, JSON, text.getBytes(StandardCharsets.UTF_8));
    }

    static Answer refused(int status, String sentence) {
        return new Answer(status, "text/plain; charset=utf-8", (sentence + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
