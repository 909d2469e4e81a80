package io.verbena.web;

import io.verbena.verbs.Figures;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The requests about a network, below {@code /api/network}. */
final class NetworkRequests {

    static final String PLAN = "/api/network";
    static final String EVENTS = "/api/network/events";
    static final String STATE = "/api/network/state";
    static final String NODE = "/api/network/node";
    static final String ACTIONS = "/api/network/actions";

    private static final int MOST_BYTES = 1024;

    private final NetworkSource source;
    private final Viewers viewers;
    private final SampleCache<NetworkState> states;

    NetworkRequests(NetworkSource source, Viewers viewers, SampleCache<NetworkState> states) {
        this.source = source;
        this.viewers = viewers;
        this.states = states;
    }

    void serveEvents(Exchange exchange) throws IOException {
        viewers.serve(exchange, states);
    }

    /** The answer to a request with GET, if the path is one of a network. */
    Optional<Answer> answer(Request request) {
        return switch (request.path()) {
            case PLAN -> Optional.of(Answer.json(NetworkJson.text(source.plan())));
            case STATE ->
                Optional.of(new Answer(200, Answer.JSON, states.sample().json()));
            case NODE -> Optional.of(node(request));
            default -> Optional.empty();
        };
    }

    /** Those of the network now; none if it is busy. */
    List<Figures> figures() {
        try {
            return source.figures();
        } catch (IllegalArgumentException e) {
            return List.of();
        }
    }

    private Answer node(Request request) {
        try {
            int number = Integer.parseInt(words(request.query()).getOrDefault("number", ""));
            return Answer.json(NetworkJson.text(source.node(number)));
        } catch (IllegalArgumentException e) {
            return refused(e);
        }
    }

    /** Executes the action in the body of a request with POST, whose origin was checked. */
    Answer act(Request request) throws IOException {
        Optional<byte[]> body = request.body(MOST_BYTES);
        if (body.isEmpty()) {
            return Answer.refused(413, "An action states its length, and has at most " + MOST_BYTES + " bytes.");
        }
        try {
            source.act(NetworkAction.of(words(new String(body.get(), StandardCharsets.UTF_8))));
            return new Answer(204, Answer.JSON, new byte[0]);
        } catch (IllegalArgumentException e) {
            return refused(e);
        }
    }

    private static Answer refused(IllegalArgumentException problem) {
        return Answer.refused(400, "This is not possible: " + problem.getMessage());
    }

    /** Parameters in the form of a query. */
    private static Map<String, String> words(String query) {
        Map<String, String> words = new HashMap<>();
        for (String each : query.split("&")) {
            int equals = each.indexOf('=');
            if (equals > 0) {
                words.put(
                        each.substring(0, equals),
                        URLDecoder.decode(each.substring(equals + 1), StandardCharsets.UTF_8));
            }
        }
        return words;
    }
}
