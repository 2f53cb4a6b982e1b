import { expect, test } from "vitest";
import * as keysRoute from "@/app/api/api-keys/route";
import * as auditRoute from "@/app/api/audit-log/route";
import * as invitationsRoute from "@/app/api/team/invitations/route";
import * as membersRoute from "@/app/api/team/members/route";
import { addMember } from "@/lib/domain/users/create";
import type { RouteHandler } from "@/lib/http/route-handler";
import { dataOf } from "./office";
import { as, call, someEmail, somePerson, someStaff } from "./person";

type Walked = {
  data: { _id: string }[];
  next_cursor: string | null;
  prev_cursor: string | null;
  total?: number;
};

const lists = [
  ["/team/members", membersRoute.GET],
  ["/team/invitations", invitationsRoute.GET],
  ["/api-keys", keysRoute.GET],
  ["/audit-log", auditRoute.GET],
] as const satisfies readonly (readonly [string, RouteHandler])[];

async function office() {
  const staff = await someStaff();
  for (let i = 0; i < 4; i++) {
    const person = await somePerson();
    await addMember(staff.businessId, person.userId, "viewer");
    await dataOf(
      call(invitationsRoute.POST, "/team/invitations", {
        method: "POST",
        headers: as(staff),
        body: { email: someEmail(), role: "staff" },
      }),
    );
    await dataOf(
      call(keysRoute.POST, "/api-keys", {
        method: "POST",
        headers: as(staff),
        body: { name: `Key ${i}` },
      }),
    );
  }
  return staff;
}

test("each list is walked by cursor, there and back, and by page, every row once", async () => {
  const staff = await office();
  for (const [path, handler] of lists) {
    const ask = (query: string) =>
      dataOf<Walked>(call(handler, `${path}?per_page=2${query}`, { headers: as(staff) }));
    const forth: string[] = [];
    let page = await ask("");
    for (;;) {
      forth.push(...page.data.map(({ _id }) => _id));
      if (page.next_cursor === null) break;
      page = await ask(`&cursor=${page.next_cursor}`);
    }
    expect(new Set(forth).size).toBe(forth.length);
    expect(forth.length).toBeGreaterThanOrEqual(4);
    const back = page.data.map(({ _id }) => _id);
    while (page.prev_cursor !== null) {
      page = await ask(`&cursor=${page.prev_cursor}`);
      back.unshift(...page.data.map(({ _id }) => _id));
    }
    expect(back).toEqual(forth);
    const numbered = await ask("&page=2");
    expect(numbered.total).toBe(forth.length);
    expect(numbered.data.map(({ _id }) => _id)).toEqual(forth.slice(2, 4));
    const oldestFirst = await ask("&sort=created_at");
    expect(oldestFirst.data.map(({ _id }) => _id)).toEqual(forth.toReversed().slice(0, 2));
  }
});

test("a cursor of another business or another list is a 422", async () => {
  const [staff, other] = [await office(), await office()];
  const { next_cursor } = await dataOf<Walked>(
    call(membersRoute.GET, "/team/members?per_page=2", { headers: as(staff) }),
  );
  expect(
    (await call(membersRoute.GET, `/team/members?cursor=${next_cursor}`, { headers: as(other) }))
      .status,
  ).toBe(422);
  expect(
    (await call(keysRoute.GET, `/api-keys?cursor=${next_cursor}`, { headers: as(staff) })).status,
  ).toBe(422);
});

test("invitations are listed by what became of them", async () => {
  const staff = await office();
  const by = async (status: string) =>
    (
      await dataOf<Walked>(
        call(invitationsRoute.GET, `/team/invitations?status=${status}`, { headers: as(staff) }),
      )
    ).data.length;
  expect([
    await by("pending"),
    await by("accepted"),
    await by("revoked"),
    await by("expired"),
  ]).toEqual([4, 0, 0, 0]);
});
