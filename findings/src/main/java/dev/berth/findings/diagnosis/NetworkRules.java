package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.NETWORK;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** Another machine could not be reached. */
final class NetworkRules {

    static final List<CauseRule> ALL =
            List.of(
                    LineRule.of(
                            NETWORK,
                            ANYWHERE,
                            "^(?:WARNING: )?Retrying \\(Retry\\(total=0\\b",
                            "^Cond(?:aHTTP|aSSL|aProxy)Error: ",
                            "^\\s{0,8}fatal: unable to access '(?<url>[^']{1,200})'",
                            "^(?:WARNING: |ERROR: )?Could not fetch URL \\S{1,300}: (?:There was a"
                                    + " problem confirming the ssl|connection error|timed out)",
                            "^\\s{0,8}fatal: unable to connect to ",
                            "\\bTemporary failure resolving '",
                            "^(?:\\S{1,60}: )?ssh: (?:connect to host|Could not resolve hostname)",
                            "^kex_exchange_identification: ",
                            "^curl: \\((?:5|6|7|22|28|35|52|56|60)\\) ",
                            "\\btoomanyrequests: ",
                            "^wget: unable to resolve host address",
                            "^Could not install packages due to an (?:OSError|EnvironmentError):"
                                    + " HTTPS?ConnectionPool"),
                    LineRule.of(
                            NETWORK,
                            EXCEPTION,
                            "^(?:\\w++\\.)*+(?:ConnectionError|ConnectTimeout|ReadTimeout|ConnectTimeout"
                                + "Error|NewConnectionError|URLError|SSLError|gaierror|ProxyError"
                                + "|ConnectionRefusedError|LocalEntryNotFoundError|MaxRetryError"
                                + "|OfflineModeIsEnabled|ClientConnector\\w{0,20}Error|ConnectError"
                                + "|HTTPError|HfHubHTTPError|ReadTimeoutError|ChunkedEncodingError"
                                + "|IncompleteRead|RemoteDisconnected|ProtocolError|EndpointConnectionError"
                                + "|APIConnectionError|ServerDisconnectedError|SSLCertVerificationError"
                                + "|ReadError|HTTPStatusError)\\b",
                            "We couldn't connect to '(?<url>[^']{1,200})'",
                            "Name or service not known|Temporary failure in name resolution",
                            "Network is unreachable|CERTIFICATE_VERIFY_FAILED",
                            "\\[Errno 110\\] Connection timed out|No route to host"),
                    LineRule.of(
                            NETWORK,
                            STATEMENT,
                            "^(?:E: )?(?:Could not|Temporary failure) resolv",
                            "^\\S{1,80}: Temporary failure in name resolution$",
                            "^(?:ERROR )?(?:404: Not Found|50[0-4]:"
                                    + " (?:Internal|Bad|Service|Gateway))",
                            "^rsync error: .{0,120}?\\(code (?:10|12|30|35|255)\\)"));

    private NetworkRules() {}
}
