package io.verbena.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A network behind a server, as clients see it. */
class NetworkRequestsTest {

    private static final String ACTIONS = "/api/network/actions";

    /** Two nodes with a link; remembers what it was asked to do. */
    private static final class OneLink implements NetworkSource {
        private final List<NetworkAction> actions = new ArrayList<>();

        @Override
        public NetworkPlan plan() {
            return new NetworkPlan(
                    "<one link>",
                    List.of(new NetworkPlan.Node("a", true, 0, 0), new NetworkPlan.Node("b", false, 1.5, 2)),
                    List.of(new NetworkPlan.Link(new NetworkPlan.End(0, 7), new NetworkPlan.End(1, 1), 0)),
                    1,
                    true);
        }

        @Override
        public NetworkState state() {
            return new NetworkState(
                    new NetworkState.Clock(5, 9, NetworkState.Pace.PAUSED, 1000, "abc"),
                    List.of(1),
                    List.of(),
                    List.of(new byte[] {40, 100}),
                    List.of(new NetworkState.Event(5, "b failed")),
                    List.of(new NetworkState.Fact("frames", "12")));
        }

        @Override
        public NetworkNode node(int node) {
            if (node != 0) {
                throw new IllegalArgumentException("there is no node " + node);
            }
            return new NetworkNode(
                    0, List.of(new NetworkNode.Port(7, 0, 2, List.of(new NetworkNode.Lane(3, 64, 61, 1)))));
        }

        @Override
        public void act(NetworkAction action) {
            actions.add(action);
        }
    }

    private final HttpClient client = HttpClient.newHttpClient();
    private final OneLink network = new OneLink();
    private final List<WebServer> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(WebServer::close);
        client.shutdownNow();
        client.close();
    }

    private WebServer server() throws IOException {
        WebServer server = WebServer.open(WebOptions.loopback(0), List::of, network);
        open.add(server);
        return server;
    }

    private static HttpRequest.Builder request(WebServer server, String path) {
        String separator = path.contains("?") ? "&" : "?";
        return HttpRequest.newBuilder(
                server.address().resolve(path + separator + server.address().getRawQuery()));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(WebServer server, String body) throws IOException, InterruptedException {
        return send(request(server, ACTIONS).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/network | {\"name\":\"\\u003cone link\\u003e\",\"lanes\":1,\"timed\":true,\"nodes\":["
                        + "{\"name\":\"a\",\"switch\":true,\"x\":0.0,\"y\":0.0},"
                        + "{\"name\":\"b\",\"switch\":false,\"x\":1.5,\"y\":2.0}],"
                        + "\"links\":[{\"from\":0,\"fromPort\":7,\"to\":1,\"toPort\":1,\"bend\":0.0}]}",
                "/api/network/state | {\"number\":1,\"nowNs\":5,\"reachedNs\":9,\"pace\":\"paused\",\"speed\":1000.0,"
                        + "\"trace\":\"abc\",\"nodesDown\":[1],\"linksDown\":[],\"loads\":[[40,100]],"
                        + "\"events\":[{\"timeNs\":5,\"sentence\":\"b failed\"}],"
                        + "\"facts\":[{\"name\":\"frames\",\"value\":\"12\"}]}",
                "/api/network/node?number=0 | {\"number\":0,\"ports\":[{\"port\":7,\"link\":0,\"frames\":2,\"lanes\":["
                        + "{\"held\":3,\"buffer\":64,\"credits\":61,\"waiting\":1}]}]}"
            })
    void network_isJson(String path, String json) throws Exception {
        assertEquals(json, send(request(server(), path)).body());
    }

    @Test
    void actions_reachTheNetwork_withTheirParameters() throws Exception {
        WebServer server = server();
        for (String body : List.of(
                "action=link&number=0&works=false",
                "action=node&number=1&works=true",
                "action=run&speed=2000.5",
                "action=pause",
                "action=step&ns=100",
                "action=seek&timeNs=7")) {
            assertEquals(204, post(server, body).statusCode(), body);
        }
        assertEquals(
                List.of(
                        new NetworkAction.Link(0, false),
                        new NetworkAction.Node(1, true),
                        new NetworkAction.Run(2000.5),
                        new NetworkAction.Pause(),
                        new NetworkAction.Step(100),
                        new NetworkAction.Seek(7)),
                network.actions);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "action=destroy",
                "action=link&number=x&works=true",
                "action=link&number=1",
                "action=run&speed=NaN",
                "action=run&speed=-1",
                "action=seek&timeNs=-1",
                "action=node&number=0&works=maybe"
            })
    void otherActions_areRefusedInASentence(String body) throws Exception {
        HttpResponse<String> answer = post(server(), body);
        assertEquals(400, answer.statusCode());
        assertTrue(answer.body().startsWith("This is not possible: "), answer.body());
        assertEquals(List.of(), network.actions);
    }

    @Test
    void longBody_isRefused() throws Exception {
        assertEquals(413, post(server(), "x".repeat(1025)).statusCode());
    }

    @Test
    void action_needsPostTheTokenAndNoForeignOrigin() throws Exception {
        WebServer server = server();
        HttpRequest.BodyPublisher pause = HttpRequest.BodyPublishers.ofString("action=pause");
        assertEquals(405, send(request(server, ACTIONS)).statusCode());
        assertEquals(
                401,
                send(HttpRequest.newBuilder(server.address().resolve(ACTIONS)).POST(pause))
                        .statusCode());
        assertEquals(
                403,
                send(request(server, ACTIONS)
                                .header("Origin", "http://evil.example")
                                .POST(pause))
                        .statusCode());
        assertEquals(
                403,
                send(request(server, ACTIONS).header("Origin", "null").POST(pause))
                        .statusCode());
        assertEquals(List.of(), network.actions);
        URI own = server.address();
        assertEquals(
                204,
                send(request(server, ACTIONS)
                                .header("Origin", "http://" + own.getRawAuthority())
                                .POST(pause))
                        .statusCode());
        assertEquals(405, send(request(server, "/api/figures").POST(pause)).statusCode());
    }

    @Test
    void serverWithoutANetwork_hasNoActions() throws Exception {
        WebServer server = WebServer.open(WebOptions.loopback(0), List::of);
        open.add(server);
        assertEquals(404, send(request(server, "/api/network")).statusCode());
        assertEquals(404, send(request(server, ACTIONS)).statusCode());
        assertEquals(405, post(server, "action=pause").statusCode());
    }

    @Test
    void unknownNode_isRefused() throws Exception {
        assertEquals(400, send(request(server(), "/api/network/node?number=5")).statusCode());
    }
}
