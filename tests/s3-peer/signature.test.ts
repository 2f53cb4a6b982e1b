import { describe, expect, test } from "vitest";
import { type RawRequest, signatureFault } from "./signature";

// The examples of "Authenticating Requests: Using the Authorization Header" in the Amazon S3 API Reference.
const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const now = new Date("2013-05-24T00:00:00Z");
const HOST = "examplebucket.s3.amazonaws.com";

type Example = {
  method: string;
  target: string;
  headers: Record<string, string>;
  body?: string;
  signature: string;
};
const examples: Record<string, Example> = {
  "a part of an object is read": {
    method: "GET",
    target: "/test.txt",
    headers: { range: "bytes=0-9", "x-amz-content-sha256": EMPTY },
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
  "an object is written": {
    method: "PUT",
    target: "/test$file.text",
    headers: {
      date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
      "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    },
    body: "Welcome to Amazon S3.",
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  "a query without a value": {
    method: "GET",
    target: "/?lifecycle",
    headers: { "x-amz-content-sha256": EMPTY },
    signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  },
  "objects are listed": {
    method: "GET",
    target: "/?max-keys=2&prefix=J",
    headers: { "x-amz-content-sha256": EMPTY },
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
};

function requestOf({ method, target, headers, body = "", signature }: Example): RawRequest {
  const all: Record<string, string> = { host: HOST, ...headers, "x-amz-date": "20130524T000000Z" };
  const signed = Object.keys(all).sort().join(";");
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signed},Signature=${signature}`;
  return {
    method,
    target,
    body: Buffer.from(body),
    rawHeaders: Object.entries({ ...all, authorization }).flat(),
  };
}

describe.each(Object.entries(examples))("AWS's example: %s", (_, example) => {
  test("its signature is right", () => {
    expect(signatureFault(requestOf(example), credentials, now)).toBeUndefined();
  });

  test.each([
    ["another target", { target: `${example.target}x` }, "SignatureDoesNotMatch"],
    ["another method", { method: "POST" }, "SignatureDoesNotMatch"],
    ["another body", { body: `${example.body ?? ""}.` }, "XAmzContentSHA256Mismatch"],
    [
      "a changed signature",
      { signature: example.signature.replace(/^./, (one) => (one === "0" ? "1" : "0")) },
      "SignatureDoesNotMatch",
    ],
    [
      "a header that was added",
      { headers: { ...example.headers, "x-amz-acl": "public-read" } },
      "SignatureDoesNotMatch",
    ],
  ])("%s is refused", (_what, change, fault) => {
    expect(signatureFault(requestOf({ ...example, ...change }), credentials, now)).toBe(fault);
  });

  test("the same request a day later, or with another key, is refused", () => {
    const later = new Date(now.getTime() + 86_400_000);
    expect(signatureFault(requestOf(example), credentials, later)).toBe("RequestTimeTooSkewed");
    const other = { ...credentials, secretAccessKey: "another" };
    expect(signatureFault(requestOf(example), other, now)).toBe("SignatureDoesNotMatch");
  });
});
