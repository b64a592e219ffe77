package dev.berth.findings.diagnosis;

import static dev.berth.findings.diagnosis.Cause.PERMISSION;
import static dev.berth.findings.diagnosis.CauseRule.Where.ANYWHERE;
import static dev.berth.findings.diagnosis.CauseRule.Where.EXCEPTION;
import static dev.berth.findings.diagnosis.CauseRule.Where.STATEMENT;

import dev.berth.findings.diagnosis.CauseRule.LineRule;

import java.util.List;

/** A service rejects the program because it has no valid login. */
final class AccessRules {

    private static final String LOGIN = "login";

    static final List<CauseRule> ALL =
            List.of(
                    LineRule.of(
                                    PERMISSION,
                                    EXCEPTION,
                                    "(?:GatedRepoError|Cannot access gated repo)",
                                    "(?:trying to access a gated repo)",
                                    "(?:40[13] Client Error|LocalTokenNotFoundError)",
                                    "(?:[Aa][Pp][Ii][_ ][Kk]ey (?:is )?not"
                                            + " (?:configured|found|set))",
                                    "^[\\w.]{0,80}(?:AuthenticationError|NoCredentialsError)\\b",
                                    "^[\\w.]{0,80}(?:ClientError|HTTPError|ApiException)\\b.{0,120}?"
                                        + "(?:AccessDenied|Forbidden|Unauthorized)",
                                    "(?:[Ii]nvalid (?:user |access )?(?:token|credentials|API"
                                            + " key))",
                                    "(?:Could not find kaggle\\.json)",
                                    "(?:Token is required)")
                            .kind(LOGIN),
                    LineRule.of(
                                    PERMISSION,
                                    STATEMENT,
                                    "(?:Permission denied"
                                            + " \\((?:publickey|password|gssapi)[^)]{0,80}\\))",
                                    "^fatal: (?:Authentication failed for)",
                                    "^fatal: (?:could not read (?:Username|Password) for)",
                                    "^(?:Host key verification failed)",
                                    "(?:requested access to the resource is denied)",
                                    "(?:unauthorized: authentication required)",
                                    "returned error:? (?:40[13])\\b",
                                    "^(?:ERROR )?(?:40[13]): (?:Forbidden|Unauthorized)")
                            .kind(LOGIN),
                    LineRule.of(
                                    PERMISSION,
                                    ANYWHERE,
                                    "^wandb: ERROR (?:(?i:api[_ ]key)) not configured")
                            .kind(LOGIN));

    private AccessRules() {}
}
